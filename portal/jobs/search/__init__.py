"""Job search. In: a posting.Query, the tenant and the instant. Out: ranked hits, filters with counts, suggestions.

Start with search.

search               the entry point: find, first_page_among_rows, posting, similar_to
database_query       a query as SQL conditions
matching             words → matching rows, on SQLite and PostgreSQL; words that a misspelt one may mean
ranking              the rank of a matching row: words in the title count most, then the occupation
page                 one page of a list, ordered by rank and date, and its cursor; similar jobs
hits                 database row → Posting or Hit
facets               filters with counts
counts               stored numbers of postings for each filter value, and for each combination of them
attributes           filters that a tenant defines
words                text → normalised words and search terms; highlighting
folding              text of any script → lower-case ASCII
concepts             names of job types, workplace types, countries and locations in many languages
occupations          job titles in any language → occupations that they name, by the table of ESCO
suggestions          locations for a few typed letters
"""
