"""What a federation agreed on before it runs: plan, policies, keys and signatures."""
