"""What the model can call: one module per tool, named like the tool."""
