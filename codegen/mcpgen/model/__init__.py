"""From spec documents to the Model; imports `errors` only, never `ingest` or `emit`."""
