"""The figures of reports."""
