"""Methods measured against judged pairs: a corpus and a truth in, precision, recall, F1 and costs out.

corpus.py              the documents to evaluate on, and a digest of them
truth.py               which pairs are copies, which are not, and which count at all
methods.py             every method by name: the baselines of the papers and neardup itself
neardup_method.py      neardup's own engine as a method
evaluated_settings.py  the settings that neardup is measured with
measure.py             one method over one corpus: its decisions and what they cost
worker.py              a job (method, corpus, truth), measured in this process or in a process of its own
subprocess_runner.py   starts that process and reads its result
memory.py              the memory that a process holds
results.py             a result as plain values; those of earlier runs, kept in files
run.py                 all methods one after another: `evaluate`
formatting.py          figures and tables as people read them
report_tables.py       the content of a report: tables, facts and notes
report.py              the report as JSON and Markdown
page.py                the report as one HTML page (page.html), with the curves that charts.py draws
errors.py              errors: input that cannot be used, a method that failed
"""
