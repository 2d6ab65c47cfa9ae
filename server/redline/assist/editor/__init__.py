"""What every use case works with: the editor, its open documents, the models."""
