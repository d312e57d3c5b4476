// Finds unchanged sample text from templates and new blocks, so that it is not sent by mistake.
import { LANGUAGES } from '#platform/languages.ts';
import { serverTexts } from '#platform/server/texts.ts';
import { removeElements } from '#platform/spans.ts';
import type { Block, EmailDocument } from '../../document.ts';
import { forEachBlock } from '../../document.ts';
import type { ContentFinding } from '../personalization/message-source.ts';
import { TEMPLATES } from '../templates/all.ts';
import { templateTexts } from '../templates/template-texts.ts';

/** Minimum length; shorter text ("Hello,") may be intended. */
const MIN_SENTENCE_LENGTH = 30;
let templateSentences: Set<string> | undefined;

/** Returns one finding: it counts the blocks with sample text and refers to the first of them. */
export function listPlaceholderFindings(document: EmailDocument): ContentFinding[] {
  templateSentences ??= readTemplateSentences();
  const blockIds: string[] = [];
  forEachBlock(document, (block) => {
    if (listSentences(block).some((sentence) => templateSentences?.has(sentence)))
      blockIds.push(block.id);
  });
  const [node] = blockIds;
  if (node === undefined) return [];
  const values = { count: blockIds.length };
  return [{ code: 'placeholder_text', severity: 'warning', part: 'html', node, values }];
}

/** Footers are excluded: their text is usually kept. */
function listSentences(block: Block): string[] {
  if (block.type === 'footer' || !('html' in block) || block.type === 'html') return [];
  const text = removeElements(block.html, ' ').replace(/\s+/g, ' ').trim();
  return text.length < MIN_SENTENCE_LENGTH ? [] : [text];
}

/** Reads the sample texts of all templates and new blocks once, in all languages: about 700. */
function readTemplateSentences(): Set<string> {
  const sentences = new Set<string>();
  for (const language of LANGUAGES) {
    for (const template of TEMPLATES) {
      forEachBlock(template.create(templateTexts(language)), (block) => {
        for (const sentence of listSentences(block)) sentences.add(sentence);
      });
    }
    const t = serverTexts('content.words', language);
    for (const key of ['heading', 'text']) sentences.add(t(`fresh.${key}`));
  }
  return sentences;
}
