"""Says of JSON documents and recorded sessions whether they are valid; knows specs and Model."""
