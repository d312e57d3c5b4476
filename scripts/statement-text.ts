// Extracts the text of SQL statements from code.
import ts from 'typescript';

export function isSqlTag(tag: ts.Node): boolean {
  return ts.isIdentifier(tag) && tag.text === 'sql';
}

/**
 * Returns the text of sql`…`, or of a string that is a statement, with $0 instead of parameters.
 */
export function readSqlText(node: ts.Node): string | undefined {
  if (ts.isTaggedTemplateExpression(node) && isSqlTag(node.tag))
    return readTemplateText(node.template);
  if (ts.isTaggedTemplateExpression(node.parent ?? node)) return undefined;
  if (ts.isNoSubstitutionTemplateLiteral(node) || ts.isTemplateExpression(node)) {
    const text = readTemplateText(node);
    return /^\s*(select|insert|update|delete|with)\s/i.test(text) ? text : undefined;
  }
  if (
    ts.isStringLiteral(node) &&
    /^(select|insert into|update|delete from|with)\s/.test(node.text)
  ) {
    return node.text;
  }
  return undefined;
}

export function readTemplateText(template: ts.TemplateLiteral): string {
  if (ts.isNoSubstitutionTemplateLiteral(template)) return template.text;
  return (
    template.head.text + template.templateSpans.map((span) => `$0${span.literal.text}`).join('')
  );
}
