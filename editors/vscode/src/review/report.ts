// The text of a report, which may stay open longer than what it is about is there.

/** Of a finding that was dismissed, or a review that is no longer kept; Markdown. */
const GONE = `# This is no longer kept

The finding was dismissed, or the review is too old. The view *Redline: Reviews* has all
that there is.
`;

/**
 * Ask for a report's text. That there is none any more is no failure: a page that is
 * open says so.
 */
export async function textOf(ask: () => Promise<string>): Promise<string> {
  try {
    return await ask();
  } catch (error) {
    const { data } = error as { readonly data?: { readonly cause?: string } };
    if (data?.cause === "unknown-review") {
      return GONE;
    }
    throw error;
  }
}
