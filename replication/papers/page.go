package papers
