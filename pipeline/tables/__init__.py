"""The Parquet files: schemas, checks, and the one description of a run."""
