"""Results of the Skat commands as JSON, text, charts and pages, in German and English."""
