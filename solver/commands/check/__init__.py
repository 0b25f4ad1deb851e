"""Command `check`: answers made elsewhere against the rules of their problems."""
