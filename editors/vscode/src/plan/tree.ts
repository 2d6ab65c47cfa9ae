// The view of plans and their steps.

import * as vscode from "vscode";

import { Rows } from "../rows";
import { childrenOf, idOf, lookOf, planItems, progressOf, type Item } from "./items";
import type { Plans } from "./plans";

export class PlanTree implements vscode.TreeDataProvider<Item>, vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<Item[] | undefined>();
  readonly onDidChangeTreeData = this.#changed.event;
  readonly #view: vscode.TreeView<Item>;
  readonly #all: vscode.Disposable;
  readonly #rows = new Rows<Item>({ idOf, lookOf, childrenOf });

  constructor(private readonly plans: Plans) {
    this.#view = vscode.window.createTreeView("redline.plans", {
      treeDataProvider: this,
      showCollapseAll: true,
    });
    this.#all = vscode.Disposable.from(
      this.#view,
      this.#changed,
      plans.onChanged(() => {
        this.update();
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
    tree.tooltip = look.tooltip;
    tree.contextValue = look.context;
    tree.iconPath = new vscode.ThemeIcon(
      look.icon,
      look.color === "" ? undefined : new vscode.ThemeColor(look.color),
    );
    tree.accessibilityInformation = { label: `${look.label}, ${look.description}` };
    if (item.plan.steps.length > 0) {
      tree.command = {
        command: "redline.openPlanItem",
        title: "Open in the Plan",
        arguments: [item],
      };
    }
    return tree;
  }

  dispose(): void {
    this.#all.dispose();
  }

  private update(): void {
    this.#view.description = progressOf(this.plans.list);
    this.#changed.fire(this.#rows.update(planItems(this.plans.list)));
  }

  /** The newest plan is open. */
  private stateOf(item: Item): vscode.TreeItemCollapsibleState {
    const { Collapsed, Expanded, None } = vscode.TreeItemCollapsibleState;
    if (item.kind === "step" || item.plan.steps.length === 0) {
      return None;
    }
    return item.plan.planId === this.plans.list.at(-1)?.planId ? Expanded : Collapsed;
  }
}
