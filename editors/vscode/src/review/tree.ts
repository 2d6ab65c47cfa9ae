// The view of reviews and findings, and the marks of findings in the gutter.

import * as vscode from "vscode";

import { lookOf, reviewItems, type Item, type Look } from "./items";
import type { Reviews } from "./reviews";

export class ReviewTree implements vscode.TreeDataProvider<Item>, vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.#changed.event;
  readonly #view: vscode.TreeView<Item>;
  readonly #mark: vscode.TextEditorDecorationType;
  readonly #all: vscode.Disposable;

  constructor(
    private readonly reviews: Reviews,
    extension: vscode.Uri,
  ) {
    this.#view = vscode.window.createTreeView("redline.reviews", {
      treeDataProvider: this,
      showCollapseAll: true,
    });
    this.#mark = vscode.window.createTextEditorDecorationType({
      gutterIconPath: vscode.Uri.joinPath(extension, "media", "finding.svg"),
      gutterIconSize: "70%",
      overviewRulerColor: new vscode.ThemeColor(
        "editorOverviewRuler.warningForeground",
      ),
      overviewRulerLane: vscode.OverviewRulerLane.Center,
    });
    this.#all = vscode.Disposable.from(
      this.#view,
      this.#mark,
      this.#changed,
      reviews.onChanged(() => {
        this.#changed.fire();
        this.show();
      }),
      vscode.window.onDidChangeVisibleTextEditors(() => {
        this.show();
      }),
    );
  }

  getChildren(item?: Item): Item[] {
    if (item === undefined) {
      return [...reviewItems(this.reviews.list)];
    }
    return item.kind === "review"
      ? item.findings.map((finding) => ({ kind: "finding", finding }))
      : [];
  }

  getTreeItem(item: Item): vscode.TreeItem {
    const look = lookOf(item);
    const tree = new vscode.TreeItem(look.label, this.stateOf(item));
    tree.id = item.kind === "review" ? item.review.reviewId : item.finding.id;
    tree.description = look.description;
    tree.tooltip = tooltipOf(item, look);
    tree.contextValue = look.context;
    tree.iconPath = new vscode.ThemeIcon(
      look.icon,
      look.color === "" ? undefined : new vscode.ThemeColor(look.color),
    );
    tree.accessibilityInformation = { label: look.spoken };
    if (item.kind === "finding") {
      tree.command = {
        command: "redline.goToFinding",
        title: "Go to the Finding",
        arguments: [item],
      };
    }
    return tree;
  }

  dispose(): void {
    this.#all.dispose();
  }

  /** The newest review is open, even before it has found anything: what comes is seen. */
  private stateOf(item: Item): vscode.TreeItemCollapsibleState {
    const { Collapsed, Expanded, None } = vscode.TreeItemCollapsibleState;
    if (item.kind === "finding") {
      return None;
    }
    if (item.review === this.reviews.list.reviews.at(-1)) {
      return Expanded;
    }
    return item.findings.length > 0 ? Collapsed : None;
  }

  private show(): void {
    const open = this.reviews.list.findings.filter(({ state }) => state === "open");
    this.#view.badge =
      open.length > 0
        ? { value: open.length, tooltip: `${open.length} findings` }
        : undefined;
    for (const editor of vscode.window.visibleTextEditors) {
      const uri = editor.document.uri.toString();
      const last = editor.document.lineCount - 1;
      const lines = open
        .filter((finding) => finding.uri === uri && finding.range.start.line <= last)
        .map(({ range, title }) => ({
          range: new vscode.Range(range.start.line, 0, range.start.line, 0),
          hoverMessage: title,
        }));
      editor.setDecorations(this.#mark, lines);
    }
  }
}

/** All of it, since a narrow view cuts titles and places off. */
function tooltipOf(item: Item, { label, description }: Look): vscode.MarkdownString {
  const text = new vscode.MarkdownString().appendText(`${label}\n${description}`);
  return item.kind === "finding"
    ? text.appendMarkdown(`\n\n${item.finding.explanation}`)
    : text;
}
