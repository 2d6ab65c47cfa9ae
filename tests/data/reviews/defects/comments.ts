export interface Comment {
  author: string;
  text: string;
}

/** Shows the comments that visitors have written. */
export function show(list: HTMLElement, comments: Comment[]): void {
  list.replaceChildren();
  for (const comment of comments) {
    const item = document.createElement("li");
    item.innerHTML = `<b>${comment.author}</b> ${comment.text}`;
    list.append(item);
  }
}
