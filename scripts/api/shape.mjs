// Changes what TypeDoc has read into the form that reads best.

import { IntersectionType, ReferenceType, ReflectionFlag, ReflectionKind, ReflectionType } from 'typedoc';

/**
 * Objects of the packages (a data layer, a hub) declare their operations as properties, so that they can be destructured.
 * They read better as methods. Options have optional members and stay a table.
 */
function showOperationsAsMethods(owner) {
  const members = owner.children ?? [];
  if (members.some((member) => member.flags.isOptional)) return;
  for (const member of members) {
    const { type } = member;
    if (!member.kindOf(ReflectionKind.Property) || !(type instanceof ReflectionType)) continue;
    const { signatures, children } = type.declaration;
    if (signatures === undefined || children !== undefined) continue;
    member.kind = ReflectionKind.Method;
    member.setFlag(ReflectionFlag.Readonly, false);
    member.signatures = signatures;
    member.type = undefined;
    for (const signature of signatures) {
      signature.parent = member;
      signature.name = member.name;
      signature.comment ??= member.comment?.clone();
    }
    member.comment = undefined;
  }
}

/** `{ a } & { b }` reads better as `{ a, b }`. */
function mergeLiterals(member) {
  const { type } = member;
  if (!(type instanceof IntersectionType)) return;
  const [first, ...others] = type.types;
  if (!type.types.every((part) => part instanceof ReflectionType && part.declaration.children !== undefined))
    return;
  for (const { declaration } of others) {
    for (const child of declaration.children) {
      child.parent = first.declaration;
      first.declaration.children.push(child);
    }
  }
  member.type = first;
}

/** A destructured parameter has no name. */
function nameParameters(project) {
  for (const parameter of project.getReflectionsByKind(ReflectionKind.Parameter)) {
    if (parameter.name !== '__namedParameters') continue;
    const isProps = parameter.type instanceof ReferenceType && parameter.type.name.endsWith('Props');
    parameter.name = isProps ? 'props' : 'options';
  }
}

/** Changes a project whose types are known and whose members are not yet grouped by kind. */
export function shape(project) {
  for (const owner of project.getReflectionsByKind(ReflectionKind.Interface)) {
    for (const member of owner.children ?? []) mergeLiterals(member);
    showOperationsAsMethods(owner);
  }
  nameParameters(project);
}

/** Puts the exports of each entry in the order of the index, which groups them by task. */
export function order(project, groups) {
  for (const entry of project.children) {
    const rank = new Map(
      groups.flatMap(({ exports }) => exports[entry.name] ?? []).map((name, index) => [name, index]),
    );
    const byRank = (one, other) => (rank.get(one.name) ?? 0) - (rank.get(other.name) ?? 0);
    for (const group of entry.groups) group.children.sort(byRank);
    entry.children = entry.groups.flatMap((group) => group.children); // In the order of the page, in which anchors are counted.
  }
}
