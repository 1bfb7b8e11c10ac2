"""Files, directories and standard input as one stream of documents: `reader.Reader`; `fields.Fields`: their names."""
