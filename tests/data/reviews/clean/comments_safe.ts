export interface Comment {
  author: string;
  text: string;
}

export function show(list: HTMLElement, comments: readonly Comment[]): void {
  list.replaceChildren(
    ...comments.map((comment) => {
      const item = document.createElement("li");
      item.textContent = `${comment.author}: ${comment.text}`;
      return item;
    }),
  );
}
