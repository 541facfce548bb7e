"""The verdict, the checks it has to pass, and the sentences that say it."""
