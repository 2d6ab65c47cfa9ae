import { Database } from "./database";

export interface Draft {
  id: string;
  text: string;
}

/** Saves a draft and tells when that is done. */
export async function save(db: Database, draft: Draft): Promise<boolean> {
  try {
    db.write(draft.id, draft.text);
    return true;
  } catch (error) {
    console.error("not saved", draft.id, error);
    return false;
  }
}
