// The links in a block's text and their addresses. A new link is set on selected or typed text.
import { ActionIcon, Button, Group, TextInput, Tooltip } from '@mantine/core';
import { IconLink, IconTrash } from '@tabler/icons-react';
import { type RefObject, useState } from 'react';
import { isWebAddress } from '#embed/forms/shared/compile.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { addLink, type LinkedText } from './linked-text.ts';

interface LinkRowsProps {
  linkedText: LinkedText;
  /** The field whose selection is linked. */
  field: RefObject<HTMLTextAreaElement | null>;
  onChange: (linkedText: LinkedText) => void;
}

type NewLink = { label: string; url: string; selection: [number, number] };

export function LinkRows({ linkedText, field, onChange }: LinkRowsProps) {
  const t = useTexts('forms-builder');
  const [adding, setAdding] = useState<NewLink>();
  const openField = () => {
    const from = field.current?.selectionStart ?? 0;
    const to = field.current?.selectionEnd ?? 0;
    setAdding({ label: linkedText.text.slice(from, to), url: '', selection: [from, to] });
  };
  return (
    <>
      {linkedText.links.map((link, at) => (
        <LinkRow
          key={`${link.from}`}
          label={linkedText.text.slice(link.from, link.to)}
          url={link.url}
          onChange={(url) =>
            onChange({ ...linkedText, links: linkedText.links.with(at, { ...link, url }) })
          }
          onRemove={() => onChange({ ...linkedText, links: linkedText.links.toSpliced(at, 1) })}
        />
      ))}
      {adding ? (
        <AddLink
          link={adding}
          onAdd={(link) => {
            onChange(addLink(linkedText, link));
            setAdding(undefined);
          }}
        />
      ) : (
        <div>
          <Button
            size="compact-xs"
            variant="subtle"
            leftSection={<IconLink size={14} stroke={1.75} />}
            onClick={openField}
          >
            {t('links.add')}
          </Button>
        </div>
      )}
    </>
  );
}

interface LinkRowProps {
  label: string;
  url: string;
  onChange: (url: string) => void;
  onRemove: () => void;
}

function LinkRow({ label, url, onChange, onRemove }: LinkRowProps) {
  const t = useTexts('forms-builder');
  const [typed, setTyped] = useState(url);
  const remove = t('links.remove', { label });
  return (
    <Group gap={4} wrap="nowrap" align="end">
      <TextInput
        size="xs"
        flex={1}
        dir="ltr"
        label={label}
        value={typed}
        error={isWebAddress(typed) ? undefined : t('links.invalid')}
        onChange={({ currentTarget: { value } }) => {
          setTyped(value);
          if (isWebAddress(value)) onChange(value);
        }}
      />
      <Tooltip label={remove}>
        <ActionIcon variant="subtle" color="gray" aria-label={remove} onClick={onRemove}>
          <IconTrash size={16} stroke={1.75} />
        </ActionIcon>
      </Tooltip>
    </Group>
  );
}

function AddLink({ link, onAdd }: { link: NewLink; onAdd: (link: NewLink) => void }) {
  const t = useTexts('forms-builder');
  const [label, setLabel] = useState(link.label);
  const [url, setUrl] = useState('');
  const [isChecked, setChecked] = useState(false);
  const address = url.trim() === '' || url.includes('://') ? url.trim() : `https://${url.trim()}`;
  const add = () => {
    setChecked(true);
    if (label.trim() !== '' && isWebAddress(address)) onAdd({ ...link, label, url: address });
  };
  const addOnEnter = (event: { key: string; preventDefault: () => void }) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    add();
  };
  return (
    <>
      <TextInput
        size="xs"
        label={t('links.label')}
        value={label}
        maxLength={500}
        error={isChecked && label.trim() === '' ? t('links.labelNeeded') : undefined}
        onChange={(event) => setLabel(event.currentTarget.value)}
        onKeyDown={addOnEnter}
        autoFocus={link.label === ''}
      />
      <TextInput
        size="xs"
        dir="ltr"
        label={t('links.address')}
        value={url}
        maxLength={2000}
        error={isChecked && !isWebAddress(address) ? t('links.invalid') : undefined}
        onChange={(event) => setUrl(event.currentTarget.value)}
        onKeyDown={addOnEnter}
        autoFocus={link.label !== ''}
      />
      <div>
        <Button size="compact-xs" variant="default" onClick={add}>
          {t('links.add')}
        </Button>
      </div>
    </>
  );
}
