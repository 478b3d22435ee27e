"""The words of doubts: rooms below raise a code with fields, and each code is worded here once.

One file a subject, one function a sentence. Its parameters are the fields of the doubt. A doubt is worded
where a record, a plan or a page is made; records keep the words.
"""

from assay.report.doubts.steps import NEXT, with_next
from assay.report.doubts.worded import WORDINGS, counted, named, shown, worded

__all__ = ["NEXT", "WORDINGS", "counted", "named", "shown", "with_next", "worded"]
