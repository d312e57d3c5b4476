// What one does to words: above the canvas while words are open. It never takes the focus from them.
import {
  ActionIcon,
  type ActionIconProps,
  Button,
  ColorSwatch,
  Group,
  Menu,
  Popover,
  ScrollArea,
  TextInput,
} from '@mantine/core';
import {
  IconAlignCenter,
  IconAlignLeft,
  IconAlignRight,
  IconBold,
  IconBraces,
  IconClearFormatting,
  IconItalic,
  IconLink,
  IconList,
  IconListNumbers,
  IconMoodSmile,
  IconPalette,
  IconStrikethrough,
  IconTextSize,
  IconUnderline,
} from '@tabler/icons-react';
import type { Editor } from '@tiptap/core';
import { useEditorState as useWordState } from '@tiptap/react';
import { type ComponentPropsWithRef, type ComponentType, type ReactNode, useState } from 'react';
import { useTexts } from '#platform/web/texts.ts';
import { isAddress } from '../../document-rules.ts';
import { useBrandColours } from '../brand/use-brand.ts';
import { useEditorProps, useMailFacts } from '../editor-props.ts';
import { readTag, withFallback } from './tags.ts';
import classes from './toolbar.module.css';

const EMOJI =
  '😀 😃 😄 😁 😊 🙂 😉 😍 🥰 😎 🤩 🥳 🤔 😅 😂 🙏 👋 👍 👏 🙌 💪 🤝 👀 ❤️ 🧡 💛 💚 💙 💜 🖤 ✨ ⭐ 🌟 🔥 💥 ⚡ 🎉 🎊 🎁 🎂 🏆 🥇 🚀 📣 📢 🔔 📅 ⏰ ⌛ 📌 📍 📦 🚚 🛒 🛍️ 💳 💰 🏷️ ✅ ☑️ ❌ ❗ ❓ ➡️ ⬅️ ⬆️ ⬇️ 👉 👇 ☀️ 🌙 🌈 🌸 🌷 🌻 🍂 ❄️ 🎄 ☕ 🍵 🍕 🍰 🍎 🏠 ✈️ 🎧 📚 ✏️ 💡'.split(
    ' ',
  );
const WEB = 'https://';
const SIZES = [12, 14, 16, 18, 20, 24, 28, 32, 40, 48];
const PLAIN = [
  '#1b1d22',
  '#5b606b',
  '#ffffff',
  '#c02b3c',
  '#e8622c',
  '#1b7f4b',
  '#3b4fe4',
  '#8a4fbf',
];

type Icon = ComponentType<{ size: number; stroke: number }>;

function Tool({
  icon: Glyph,
  label,
  isOn = false,
  act,
}: {
  icon: Icon;
  label: string;
  isOn?: boolean;
  act: () => void;
}) {
  return (
    <ActionIcon
      variant={isOn ? 'light' : 'subtle'}
      {...(isOn ? {} : { color: 'gray' })}
      title={label}
      aria-label={label}
      aria-pressed={isOn}
      onMouseDown={(event) => event.preventDefault()}
      onClick={act}
    >
      <Glyph size={18} stroke={1.75} />
    </ActionIcon>
  );
}

export default function WordTools({ editor }: { editor: Editor }) {
  const t = useTexts('content');
  const on = useWordState({
    editor,
    selector: ({ editor: now }) => ({
      bold: now.isActive('bold'),
      italic: now.isActive('italic'),
      underline: now.isActive('underline'),
      strike: now.isActive('strike'),
      bullets: now.isActive('bulletList'),
      numbers: now.isActive('orderedList'),
      start: now.isActive({ textAlign: 'start' }),
      center: now.isActive({ textAlign: 'center' }),
      end: now.isActive({ textAlign: 'end' }),
      tag: now.isActive('mergeTag') ? String(now.getAttributes('mergeTag').raw) : null,
    }),
  });
  const chain = () => editor.chain().focus();
  const align = (side: 'start' | 'center' | 'end') => () =>
    (on[side] ? chain().unsetTextAlign() : chain().setTextAlign(side)).run();
  if (on.tag !== null) return <TagTools editor={editor} raw={on.tag} />;
  return (
    <div className={classes.bar} role="toolbar" aria-label={t('words.tools')}>
      <Tool
        icon={IconBold}
        label={t('words.bold')}
        isOn={on.bold}
        act={() => chain().toggleBold().run()}
      />
      <Tool
        icon={IconItalic}
        label={t('words.italic')}
        isOn={on.italic}
        act={() => chain().toggleItalic().run()}
      />
      <Tool
        icon={IconUnderline}
        label={t('words.underline')}
        isOn={on.underline}
        act={() => chain().toggleUnderline().run()}
      />
      <Tool
        icon={IconStrikethrough}
        label={t('words.strike')}
        isOn={on.strike}
        act={() => chain().toggleStrike().run()}
      />
      <SizeTool editor={editor} />
      <ColourTool editor={editor} />
      <LinkTool editor={editor} />
      <span className={classes.rule} />
      <Tool
        icon={IconList}
        label={t('words.bullets')}
        isOn={on.bullets}
        act={() => chain().toggleBulletList().run()}
      />
      <Tool
        icon={IconListNumbers}
        label={t('words.numbers')}
        isOn={on.numbers}
        act={() => chain().toggleOrderedList().run()}
      />
      <span className={classes.mirrored}>
        <Tool icon={IconAlignLeft} label={t('align.start')} isOn={on.start} act={align('start')} />
        <Tool
          icon={IconAlignCenter}
          label={t('align.center')}
          isOn={on.center}
          act={align('center')}
        />
        <Tool icon={IconAlignRight} label={t('align.end')} isOn={on.end} act={align('end')} />
      </span>
      <span className={classes.rule} />
      <EmojiTool editor={editor} />
      <Tool
        icon={IconClearFormatting}
        label={t('words.clear')}
        act={() => chain().unsetAllMarks().run()}
      />
      <TagMenu editor={editor} />
    </div>
  );
}

/** A tool that opens something: what opens it gives it its state. */
function Opener({
  icon: Glyph,
  label,
  ...given
}: { icon: Icon; label: string } & ActionIconProps & ComponentPropsWithRef<'button'>) {
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      {...given}
      title={label}
      aria-label={label}
      onMouseDown={(event) => event.preventDefault()}
    >
      <Glyph size={18} stroke={1.75} />
    </ActionIcon>
  );
}

function Floating({
  icon,
  label,
  width,
  children,
}: {
  icon: Icon;
  label: string;
  width?: number;
  children: (close: () => void) => ReactNode;
}) {
  const [isOpen, setOpen] = useState(false);
  return (
    <Popover opened={isOpen} onChange={setOpen} width={width} position="bottom" shadow="md">
      <Popover.Target>
        <Opener icon={icon} label={label} onClick={() => setOpen(!isOpen)} />
      </Popover.Target>
      <Popover.Dropdown aria-label={label} p="xs">
        {children(() => setOpen(false))}
      </Popover.Dropdown>
    </Popover>
  );
}

function SizeTool({ editor }: { editor: Editor }) {
  const t = useTexts('content');
  return (
    <Menu shadow="md" width={120}>
      <Menu.Target>
        <Opener icon={IconTextSize} label={t('style.size')} />
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => editor.chain().focus().unsetFontSize().run()}>
          {t('style.usual')}
        </Menu.Item>
        {SIZES.map((size) => (
          <Menu.Item
            key={size}
            onClick={() => editor.chain().focus().setFontSize(`${size}px`).run()}
          >
            {size}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

function ColourTool({ editor }: { editor: Editor }) {
  const t = useTexts('content');
  const colours = [...new Set([...useBrandColours(), ...PLAIN])];
  const swatches = (act: (colour: string) => void) => (
    <Group gap={6} mt={4} mb="xs">
      {colours.map((colour) => (
        <ColorSwatch
          key={colour}
          component="button"
          type="button"
          size={24}
          color={colour}
          aria-label={colour}
          onClick={() => act(colour)}
        />
      ))}
    </Group>
  );
  const chain = () => editor.chain().focus();
  return (
    <Floating icon={IconPalette} label={t('words.colours')} width={240}>
      {(close) => (
        <>
          <div className={classes.label}>{t('style.color')}</div>
          {swatches((colour) => chain().setColor(colour).run())}
          <div className={classes.label}>{t('words.highlight')}</div>
          {swatches((colour) => chain().setBackgroundColor(colour).run())}
          <Button
            size="xs"
            variant="default"
            fullWidth
            onClick={() => {
              chain().unsetColor().unsetBackgroundColor().run();
              close();
            }}
          >
            {t('style.usual')}
          </Button>
        </>
      )}
    </Floating>
  );
}

function LinkTool({ editor }: { editor: Editor }) {
  const t = useTexts('content');
  return (
    <Floating icon={IconLink} label={t('words.link')} width={320}>
      {(close) => <LinkForm editor={editor} close={close} />}
    </Floating>
  );
}

function LinkForm({ editor, close }: { editor: Editor; close: () => void }) {
  const t = useTexts('content');
  const [href, setHref] = useState(String(editor.getAttributes('link').href ?? ''));
  const put = (address: string) => {
    const url = isAddress(address) ? address : `${WEB}${address}`;
    const chain = editor.chain().focus().extendMarkRange('link');
    if (url === '') chain.unsetLink().run();
    else if (editor.state.selection.empty && !editor.isActive('link')) {
      chain
        .insertContent({ type: 'text', text: url, marks: [{ type: 'link', attrs: { href: url } }] })
        .run();
    } else chain.setLink({ href: url }).run();
    close();
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        put(href.trim());
      }}
    >
      <TextInput
        label={t('fields.href')}
        placeholder={WEB}
        dir="ltr"
        value={href}
        onChange={(event) => setHref(event.currentTarget.value)}
        data-autofocus
      />
      <Group gap="xs" mt="xs">
        <Button type="submit" size="xs">
          {t('words.setLink')}
        </Button>
        <Button size="xs" variant="default" onClick={() => put('')}>
          {t('words.removeLink')}
        </Button>
      </Group>
      <Group gap={4} mt="xs">
        <Button size="compact-xs" variant="subtle" onClick={() => put('{{unsubscribe_link}}')}>
          {t('words.unsubscribe')}
        </Button>
        <Button size="compact-xs" variant="subtle" onClick={() => put('{{browser_preview}}')}>
          {t('words.browser')}
        </Button>
      </Group>
    </form>
  );
}

function EmojiTool({ editor }: { editor: Editor }) {
  const t = useTexts('content');
  return (
    <Floating icon={IconMoodSmile} label={t('words.emoji')} width={300}>
      {(close) => (
        <div className={classes.emoji}>
          {EMOJI.map((emoji) => (
            <button
              key={emoji}
              type="button"
              aria-label={emoji}
              onClick={() => {
                editor.chain().focus().insertContent(emoji).run();
                close();
              }}
            >
              {emoji}
            </button>
          ))}
        </div>
      )}
    </Floating>
  );
}

const KINDS = ['person', 'field', 'system'] as const;

function TagMenu({ editor }: { editor: Editor }) {
  const t = useTexts('content');
  const { mergeTags } = useEditorProps();
  const insert = (name: string, kind: string) => {
    const raw = kind === 'system' || name === 'email' ? `{{${name}}}` : `{{${name} | default: ""}}`;
    editor.chain().focus().insertContent({ type: 'mergeTag', attrs: { raw } }).run();
    if (kind === 'system' || name === 'email') return;
    // The chip is selected, so that its fallback can be written at once.
    editor.commands.setNodeSelection(editor.state.selection.from - 1);
  };
  return (
    <Menu shadow="md" width={260} position="bottom-end">
      <Menu.Target>
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<IconBraces size={16} stroke={1.75} />}
          onMouseDown={(event) => event.preventDefault()}
        >
          {t('words.tag')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <ScrollArea.Autosize mah={320}>
          {KINDS.map((kind) => {
            const some = mergeTags.filter((tag) => tag.kind === kind);
            return (
              some.length > 0 && (
                <div key={kind}>
                  <Menu.Label>{t(`tagKinds.${kind}`)}</Menu.Label>
                  {some.map(({ name, title }) => (
                    <Menu.Item key={name} onClick={() => insert(name, kind)}>
                      {title}
                    </Menu.Item>
                  ))}
                </div>
              )
            );
          })}
        </ScrollArea.Autosize>
      </Menu.Dropdown>
    </Menu>
  );
}

/** A chip is selected: what stands in for people without a value. */
function TagTools({ editor, raw }: { editor: Editor; raw: string }) {
  const t = useTexts('content');
  const { tagLabel } = useMailFacts();
  const { name, fallback } = readTag(raw);
  const put = (words: string | null) => {
    const at = editor.state.selection.from;
    const raws = { raw: withFallback(raw, words) };
    editor.chain().updateAttributes('mergeTag', raws).setNodeSelection(at).run();
  };
  const leave = () => editor.commands.focus(editor.state.selection.to);
  return (
    <div className={classes.bar} role="toolbar" aria-label={t('words.tools')}>
      <span className="merge-tag">{tagLabel(name)}</span>
      <TextInput
        size="xs"
        w={220}
        aria-label={t('words.fallback')}
        placeholder={t('words.fallback')}
        value={fallback ?? ''}
        onChange={(event) => put(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' || event.key === 'Escape') {
            event.preventDefault();
            event.stopPropagation();
            leave();
          }
        }}
      />
      <Button size="compact-sm" variant="default" onClick={leave}>
        {t('done')}
      </Button>
    </div>
  );
}
