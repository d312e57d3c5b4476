// Parts that several block views share, and their text styles.
import type { CSSProperties } from 'react';
import type {
  Block,
  BlockOf,
  BlockType,
  Color,
  EmailSettings,
  DocumentImage,
} from '../../document.ts';
import { toNarrowHeadingSize } from '../../document-layout.ts';
import { useSession } from '#platform/web/session/session.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { useCanvasData } from '../editor-props.ts';
import { ImageSlot } from '../images/image-slot.tsx';
import { useEditor } from '../store.ts';
import classes from './blocks.module.css';
import {
  borderStyle,
  buttonStyle,
  justify,
  resolveTypography,
  textStyle,
  getDefaultAlign,
} from './canvas-styles.ts';
import { EditableText } from './rich-text-view.tsx';

export interface ViewProps {
  block: Block;
  settings: EmailSettings;
  color: Color;
  isNarrow: boolean;
}
export type BlockViewProps<T extends BlockType> = Omit<ViewProps, 'block'> & { block: BlockOf<T> };

export function resolveAlign({ block, isNarrow }: ViewProps) {
  return (
    (isNarrow ? block.mobile.align : undefined) ?? block.style.align ?? getDefaultAlign(block.type)
  );
}

export function textBlockStyle(props: ViewProps): CSSProperties {
  const { block, settings, color, isNarrow } = props;
  const typography = resolveTypography(block, settings);
  const defaultSize =
    isNarrow && block.type === 'heading' ? toNarrowHeadingSize(typography.size) : typography.size;
  const size = (isNarrow ? block.mobile.size : undefined) ?? defaultSize;
  return { ...textStyle({ ...typography, size }), color: color, textAlign: resolveAlign(props) };
}

/** Returns the style of the box around text with a border or rounded corners. */
function boxStyle({ style }: Block): CSSProperties {
  if (!style.border && !style.radius) return {};
  return {
    border: borderStyle(style.border),
    borderRadius: style.radius,
    padding: 16,
    background: style.background,
  };
}

export function useHtmlChange(block: Block) {
  const { editBlock } = useEditor();
  return (html: string) =>
    editBlock(block.id, (now) => ('html' in now ? { ...now, html } : now), 'html');
}

export function TextContent(
  props: BlockViewProps<'text' | 'heading' | 'footer'> & { empty?: string },
) {
  const { block } = props;
  const change = useHtmlChange(block);
  return (
    <EditableText
      id={block.id}
      html={block.html}
      isLine={block.type === 'heading'}
      {...(props.empty === undefined ? {} : { empty: props.empty })}
      style={{ ...textBlockStyle(props), ...boxStyle(block) }}
      onChange={change}
    />
  );
}

export function DocumentImageView({
  image,
  width,
  props,
  isVideo,
}: {
  image: DocumentImage;
  /** Percentage of the block's width, such as `50%`. */
  width: string;
  props: ViewProps;
  isVideo?: boolean;
}) {
  const { block } = props;
  return (
    <div className={classes.row} style={{ justifyContent: justify[resolveAlign(props)] }}>
      <ImageSlot
        id={block.id}
        image={image}
        isVideo={isVideo ?? false}
        style={{
          width,
          border: borderStyle(block.style.border),
          borderRadius: block.style.radius,
        }}
      />
    </div>
  );
}

export function InlineButton({
  props,
}: {
  props: BlockViewProps<'product'> | BlockViewProps<'coupon'>;
}) {
  const { block, settings } = props;
  if (block.label.trim() === '') return null;
  return <span style={buttonStyle(block.button, block, settings, true)}>{block.label}</span>;
}

/** Returns the account's name, otherwise the sender's, as in the email. */
export function useCompany(): string {
  const t = useTexts('content');
  const { account } = useSession();
  const { company } = useCanvasData();
  return account.title || company || t('canvas.company');
}
