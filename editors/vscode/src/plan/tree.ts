// The view of plans and their steps.

import * as vscode from "vscode";

import {
  changedRows,
  idOf,
  lookOf,
  planItems,
  progressOf,
  rowsOf,
  stepItems,
  type Item,
  type Rows,
} from "./items";
import type { PlanStatus } from "../protocol-plans";
import type { Plans } from "./plans";

export class PlanTree implements vscode.TreeDataProvider<Item>, vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<Item[] | undefined>();
  readonly onDidChangeTreeData = this.#changed.event;
  readonly #view: vscode.TreeView<Item>;
  readonly #all: vscode.Disposable;
  /** By id, the objects that VS Code has: it knows a row by its object. */
  readonly #known = new Map<string, Item>();
  #rows: Rows = new Map();

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

  getChildren(item?: Item): Item[] {
    const plan = item?.kind === "plan" ? this.planOf(item) : undefined;
    if (plan !== undefined) {
      return stepItems(plan).map((one) => this.known(one));
    }
    return item === undefined
      ? planItems(this.plans.list).map((one) => this.known(one))
      : [];
  }

  getTreeItem(known: Item): vscode.TreeItem {
    const item = this.current(known);
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
    const rows = rowsOf(this.plans.list);
    const changed = changedRows(this.#rows, rows);
    this.#rows = rows;
    if (changed === undefined) {
      this.#known.clear();
    }
    this.#changed.fire(changed?.flatMap((id) => this.#known.get(id) ?? []));
  }

  private known(item: Item): Item {
    const known = this.#known.get(idOf(item)) ?? item;
    this.#known.set(idOf(item), known);
    return known;
  }

  private planOf({ plan }: Item): PlanStatus {
    return this.plans.list.find(({ planId }) => planId === plan.planId) ?? plan;
  }

  /** A row as it is by now. */
  private current(known: Item): Item {
    const plan = this.planOf(known);
    const same = [...planItems([plan]), ...stepItems(plan)];
    return same.find((item) => idOf(item) === idOf(known)) ?? known;
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
