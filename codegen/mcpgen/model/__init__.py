"""From spec documents to the Model; never imports `ingest` or `emit`."""
