"""The private index: from (tenant, e-mail address) to candidates of the service. No names, no addresses in clear.

tables     candidates, their addresses as keyed hashes, and where each tenant's pass stands
index      find, read, forget
mirror     passes over §4.2 that keep it true
health     how old it is and what fails, for operators
"""
