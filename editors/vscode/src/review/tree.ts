// The view of reviews and findings, and the marks of findings in the gutter.

import * as vscode from "vscode";

import type { Finding } from "../protocol-reviews";
import { Rows } from "../rows";
import { svgUri } from "../svg";
import {
  childrenOf,
  idOf,
  lookOf,
  progressOf,
  reviewItems,
  type Item,
  type Look,
} from "./items";
import { iconOf, lineMarks, SEVERITIES, type LineMark } from "./gutter";
import type { Reviews } from "./reviews";

const RULER_COLORS: Readonly<Record<Finding["severity"], string>> = {
  critical: "editorOverviewRuler.errorForeground",
  high: "charts.orange",
  medium: "editorOverviewRuler.warningForeground",
  low: "editorOverviewRuler.infoForeground",
};

export class ReviewTree implements vscode.TreeDataProvider<Item>, vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<Item[] | undefined>();
  readonly onDidChangeTreeData = this.#changed.event;
  readonly #view: vscode.TreeView<Item>;
  readonly #marks = SEVERITIES.map((severity) => [severity, markOf(severity)] as const);
  readonly #all: vscode.Disposable;
  readonly #rows = new Rows<Item>({ idOf, lookOf, childrenOf });

  constructor(private readonly reviews: Reviews) {
    this.#view = vscode.window.createTreeView("redline.reviews", {
      treeDataProvider: this,
      showCollapseAll: true,
    });
    this.#all = vscode.Disposable.from(
      this.#view,
      ...this.#marks.map(([, mark]) => mark),
      this.#changed,
      reviews.onChanged(() => {
        this.update();
        this.show();
      }),
      vscode.window.onDidChangeVisibleTextEditors(() => {
        this.show();
      }),
    );
  }

  getChildren(known?: Item): Item[] {
    return this.#rows.children(known);
  }

  getTreeItem(known: Item): vscode.TreeItem {
    const item = this.#rows.current(known);
    const look = lookOf(item);
    const tree = new vscode.TreeItem(look.label, this.stateOf(item));
    tree.id = idOf(item);
    tree.description = look.description;
    tree.tooltip = tooltipOf(look);
    tree.contextValue = look.context;
    const severity = SEVERITIES.find((one) => one === look.icon);
    tree.iconPath =
      severity === undefined
        ? new vscode.ThemeIcon(
            look.icon,
            look.color === "" ? undefined : new vscode.ThemeColor(look.color),
          )
        : svgUri(iconOf(severity));
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

  private update(): void {
    const { list } = this.reviews;
    this.#view.description = progressOf(list.reviews);
    this.#changed.fire(this.#rows.update(reviewItems(list)));
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
      const { document } = editor;
      const lines = lineMarks(open, document.uri.toString()).filter(
        ({ line }) => line < document.lineCount,
      );
      for (const [severity, mark] of this.#marks) {
        editor.setDecorations(
          mark,
          lines.filter((one) => one.severity === severity).map(decorationOf),
        );
      }
    }
  }
}

function markOf(severity: Finding["severity"]): vscode.TextEditorDecorationType {
  return vscode.window.createTextEditorDecorationType({
    gutterIconPath: svgUri(iconOf(severity)),
    gutterIconSize: "70%",
    overviewRulerColor: new vscode.ThemeColor(RULER_COLORS[severity]),
    overviewRulerLane: vscode.OverviewRulerLane.Center,
  });
}

function decorationOf({ line, titles }: LineMark): vscode.DecorationOptions {
  return {
    range: new vscode.Range(line, 0, line, 0),
    hoverMessage: [...titles],
  };
}

/** All of it, since a narrow view cuts titles and places off. */
function tooltipOf({ label, description, detail }: Look): vscode.MarkdownString {
  const text = new vscode.MarkdownString().appendText(`${label}\n${description}`);
  return detail === "" ? text : text.appendMarkdown(`\n\n${detail}`);
}
