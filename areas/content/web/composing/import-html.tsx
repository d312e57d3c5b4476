// Imports custom HTML into the editor from a file, a ZIP with images, or a URL. Existing HTML is
// replaced after confirmation, and undo restores it.
import { Button, List, Text } from '@mantine/core';
import { IconFileImport, IconFileZip, IconWorldDownload } from '@tabler/icons-react';
import { useRef, useState } from 'react';
import type { ResponseOf } from '#platform/web/api/api.ts';
import { showError } from '#platform/web/errors/errors.ts';
import { notice, toast } from '#platform/web/errors/notices.tsx';
import { invalidate } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { confirm } from '#platform/web/ui/confirm.tsx';
import { promptInput, STAY_OPEN } from '#platform/web/ui/input-dialog.tsx';
import { MenuEntry, MenuOrSheet } from '#platform/web/ui/menu-or-sheet.tsx';
import type { calls } from '../../contract.ts';
import { IMAGES } from '../images/upload.ts';
import { api } from '../queries.ts';

type HtmlImport = ResponseOf<typeof calls, 'POST /client-api/api/content/html_file'>['data'];

export interface ImportHtmlProps {
  /** Current HTML of the editor. */
  html: string;
  onHtml: (html: string) => void;
}

export function ImportHtml(props: ImportHtmlProps) {
  const t = useTexts('composing');
  const input = useRef<HTMLInputElement>(null);
  const [isOpen, setOpen] = useState(false);
  const { isBusy, importFile, requestUrl } = useHtmlImport(props);
  return (
    <>
      <MenuOrSheet
        isOpen={isOpen}
        onChange={setOpen}
        label={t('bring.title')}
        position="bottom-start"
        target={
          <Button
            size="xs"
            variant="default"
            loading={isBusy}
            leftSection={<IconFileImport size={16} stroke={1.75} aria-hidden="true" />}
          >
            {t('bring.title')}
          </Button>
        }
      >
        <MenuEntry
          icon={<IconFileZip size={16} stroke={1.75} aria-hidden="true" />}
          run={() => input.current?.click()}
        >
          {t('bring.file')}
        </MenuEntry>
        <MenuEntry
          icon={<IconWorldDownload size={16} stroke={1.75} aria-hidden="true" />}
          run={() => void requestUrl()}
        >
          {t('bring.address')}
        </MenuEntry>
      </MenuOrSheet>
      <input
        ref={input}
        type="file"
        hidden
        accept=".html,.htm,.xhtml,.zip,text/html,application/zip"
        aria-label={t('bring.file')}
        onChange={(event) => {
          const file = event.currentTarget.files?.[0];
          event.currentTarget.value = '';
          void importFile(file);
        }}
      />
    </>
  );
}

/** Replaces the current HTML by the imported one after confirmation. */
function useHtmlImport({ html, onHtml }: ImportHtmlProps) {
  const t = useTexts('composing');
  const [isBusy, setBusy] = useState(false);
  const isSure = async () =>
    html.trim() === '' ||
    (await confirm({
      title: t('bring.replaceTitle'),
      message: t('bring.replaceMessage'),
      confirm: t('bring.replace'),
    }));
  const applyImport = (imported: HtmlImport) => {
    onHtml(imported.html);
    if (imported.images > 0) void invalidate(IMAGES);
    const messages = [
      t('bring.done'),
      imported.images > 0 ? t('bring.images', { count: imported.images }) : '',
    ];
    if (imported.missing.length === 0) toast(messages.filter(Boolean).join(' '));
    else
      notice(
        <MissingReferences label={messages.filter(Boolean).join(' ')} urls={imported.missing} />,
      );
  };
  const importFile = async (file: File | undefined) => {
    if (!file || !(await isSure())) return;
    setBusy(true);
    const form = new FormData();
    form.append('file', file);
    try {
      applyImport((await api.upload('POST /client-api/api/content/html_file', form)).data);
    } catch (error) {
      showError(error);
    } finally {
      setBusy(false);
    }
  };
  const requestUrl = () =>
    promptInput({
      type: 'url',
      title: t('bring.title'),
      label: t('bring.addressLabel'),
      description: t('bring.addressHint'),
      placeholder: 'https://example.com/email.html',
      confirm: t('bring.act'),
      send: async (address) => {
        if (!(await isSure())) return STAY_OPEN;
        applyImport(
          (await api('POST /client-api/api/content/html_address', { body: { address } })).data,
        );
        return undefined;
      },
    });
  return { isBusy, importFile, requestUrl };
}

function MissingReferences({ label, urls }: { label: string; urls: readonly string[] }) {
  const t = useTexts('composing');
  return (
    <>
      <Text size="sm">{label}</Text>
      <Text size="sm" mt={4}>
        {t('bring.missing')}
      </Text>
      <List size="sm" dir="ltr">
        {urls.map((name) => (
          <List.Item key={name}>{name}</List.Item>
        ))}
      </List>
    </>
  );
}
