// The view of plans and their steps.

import * as vscode from "vscode";

import { lookOf, planItems, stepItems, type Item } from "./items";
import type { Plans } from "./plans";

export class PlanTree implements vscode.TreeDataProvider<Item>, vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.#changed.event;
  readonly #all: vscode.Disposable;

  constructor(private readonly plans: Plans) {
    this.#all = vscode.Disposable.from(
      vscode.window.createTreeView("redline.plans", {
        treeDataProvider: this,
        showCollapseAll: true,
      }),
      this.#changed,
      plans.onChanged(() => {
        this.#changed.fire();
      }),
    );
  }

  getChildren(item?: Item): Item[] {
    if (item === undefined) {
      return [...planItems(this.plans.list)];
    }
    return item.kind === "plan" ? [...stepItems(item.plan)] : [];
  }

  getTreeItem(item: Item): vscode.TreeItem {
    const look = lookOf(item);
    const tree = new vscode.TreeItem(look.label, this.stateOf(item));
    const { planId } = item.plan;
    tree.id = item.kind === "plan" ? planId : `${planId} ${item.step.id}`;
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

  /** The newest plan is open. */
  private stateOf(item: Item): vscode.TreeItemCollapsibleState {
    const { Collapsed, Expanded, None } = vscode.TreeItemCollapsibleState;
    if (item.kind === "step" || item.plan.steps.length === 0) {
      return None;
    }
    return item.plan.planId === this.plans.list.at(-1)?.planId ? Expanded : Collapsed;
  }
}
