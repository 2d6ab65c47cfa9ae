"""What an instruction asks for, where its words leave no doubt: no model is asked."""
