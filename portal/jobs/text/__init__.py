"""Descriptions from the service → safe HTML, plain text, the first meaningful sentences, the language.

In: HTML or plain text of unknown origin. Out: HTML with a few allowed tags, and facts about it. Start with cleaning.

cleaning     cleans HTML, long texts in a separate process with a CPU limit; HTML → plain text
opening      finds the first meaningful sentence
language     detects the language
"""
