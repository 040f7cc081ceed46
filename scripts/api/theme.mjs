// Changes pages where TypeDoc's Markdown is too wide. A signature is code with its types, followed by links to these types instead of
// tables.

import { IntrinsicType, makeRecursiveVisitor, ReflectionKind, ReflectionType } from 'typedoc';
import { MarkdownTheme, MarkdownThemeContext } from 'typedoc-plugin-markdown';

/** The types of this project that a type names, in its order. */
function typesIn(types) {
  const found = new Map();
  const visitor = makeRecursiveVisitor({
    reference({ reflection, refersToTypeParameter }) {
      if (reflection === undefined || refersToTypeParameter) return;
      if (!reflection.kindOf(ReflectionKind.TypeParameter)) found.set(reflection.name, reflection);
    },
    reflection({ declaration }) {
      for (const child of declaration.children ?? []) child.type?.visit(visitor);
      for (const signature of declaration.signatures ?? [])
        for (const type of typesOf(signature)) type?.visit(visitor);
    },
  });
  for (const type of types) type?.visit(visitor);
  return [...found.values()];
}

const typesOf = (signature) => [
  ...(signature.parameters ?? []).map(({ type }) => type),
  ...(signature.typeParameters ?? []).flatMap(({ type, default: standard }) => [type, standard]),
  signature.type,
];

class Context extends MarkdownThemeContext {
  constructor(...all) {
    super(...all);
    const { propertiesTable, getDeclarationType } = { ...this.partials, ...this.helpers };
    this.partials.signatureReturns = (signature) => this.#typesOf(signature);
    this.partials.propertiesTable = (...table) => {
      // The rows below describe these members, so the cell does not.
      this.helpers.getDeclarationType = (member) => {
        const type = getDeclarationType(member);
        const hasRows = type instanceof ReflectionType && type.declaration.children !== undefined;
        return hasRows ? new IntrinsicType('object') : type;
      };
      const text = propertiesTable(...table);
      this.helpers.getDeclarationType = getDeclarationType;
      return text;
    };
  }

  /** The comments of parameters and of the result, and links to the types. */
  #typesOf(signature) {
    const told = (signature.parameters ?? [])
      .filter(({ comment }) => comment !== undefined)
      .map(({ name, comment }) => `- \`${name}\`: ${this.helpers.getCommentParts(comment.summary)}`);
    const returns = signature.comment?.getTag('@returns');
    if (returns !== undefined) told.push(`- returns ${this.helpers.getCommentParts(returns.content)}`);
    const types = typesIn(typesOf(signature)).map((type) => `[\`${type.name}\`](${this.urlTo(type)})`);
    const links = types.length === 0 ? '' : `Types: ${types.join(' · ')}`;
    return [told.join('\n'), links].filter((part) => part !== '').join('\n\n');
  }
}

export class Theme extends MarkdownTheme {
  getRenderContext(page) {
    return new Context(this, page, this.application.options);
  }
}
