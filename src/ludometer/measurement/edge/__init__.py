"""How often the better player wins: by the likelihood of all results, whoever was made to meet whom."""
