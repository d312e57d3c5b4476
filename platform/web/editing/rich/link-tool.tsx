// Edits a link: to a web address, or to a target that the email provides.
import { Button, Group, TextInput } from '@mantine/core';
import { IconLink } from '@tabler/icons-react';
import type { Editor } from '@tiptap/core';
import { useState } from 'react';
import { useTexts } from '#platform/web/texts/texts.ts';
import { useEditingContext } from '../editing-context.ts';
import { toLinkAddress, WEB } from './link-address.ts';
import { Floating } from './tool.tsx';

export function LinkTool({ editor }: { editor: Editor }) {
  const t = useTexts('editing');
  return (
    <Floating icon={IconLink} label={t('words.link')} width={320}>
      {(close) => <LinkForm editor={editor} close={close} />}
    </Floating>
  );
}

function LinkForm({ editor, close }: { editor: Editor; close: () => void }) {
  const t = useTexts('editing');
  const { links } = useEditingContext();
  const [href, setHref] = useState(String(editor.getAttributes('link').href ?? ''));
  const applyLink = (input: string) => {
    const url = toLinkAddress(input);
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
        applyLink(href);
      }}
    >
      <TextInput
        label={t('words.href')}
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
        <Button size="xs" variant="default" onClick={() => applyLink('')}>
          {t('words.removeLink')}
        </Button>
      </Group>
      {links.length > 0 && (
        <Group gap={4} mt="xs">
          {links.map((link) => (
            <Button
              key={link.href}
              size="compact-xs"
              variant="subtle"
              onClick={() => applyLink(link.href)}
            >
              {link.label}
            </Button>
          ))}
        </Group>
      )}
    </form>
  );
}
