// Imports templates that were exported from another service. They are saved one after the other;
// each shows its result and can be viewed and removed again.
import { Anchor, Button, Text } from '@mantine/core';
import { IconCheck, IconX } from '@tabler/icons-react';
import { useRef, useState } from 'react';
import { invalidate } from '#platform/web/api/queries.ts';
import { errorTexts, showError } from '#platform/web/errors/errors.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import classes from './import-templates.module.css';
import { contentApi } from './queries.ts';

interface ImportedTemplate {
  name: string;
  /** Reason why the template was not saved. */
  error?: string;
  saved?: {
    id: string;
    page: string;
    /** The names of referenced images that the file does not contain. */
    missingImages: readonly string[];
  };
  isUndone?: boolean;
}

const TEMPLATES = '/client-api/api/saved_templates';

export function ImportTemplates() {
  const t = useTexts('imports');
  const input = useRef<HTMLInputElement>(null);
  const { isBusy, results, importFiles, undo } = useTemplateImport();
  return (
    <div className={classes.part}>
      <Text c="dimmed" size="sm">
        {t('templates.hint')}
      </Text>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        accept=".html,.htm,.xhtml,.zip,text/html,application/zip"
        aria-label={t('templates.choose')}
        onChange={(event) => {
          const files = [...(event.currentTarget.files ?? [])];
          event.currentTarget.value = '';
          if (files.length > 0) void importFiles(files);
        }}
      />
      <Button variant="default" loading={isBusy} onClick={() => input.current?.click()}>
        {t('templates.choose')}
      </Button>
      {results.length > 0 && (
        <>
          <ul className={classes.results} aria-label={t('templates.result')} aria-live="polite">
            {results.map((result, i) => (
              <Result key={i} template={result} undo={() => undo(result)} />
            ))}
          </ul>
          {results.some((result) => result.saved !== undefined && !result.isUndone) && (
            <Text c="dimmed" size="sm">
              {t('templates.where')}
            </Text>
          )}
        </>
      )}
    </div>
  );
}

function useTemplateImport() {
  const [isBusy, setBusy] = useState(false);
  const [results, setResults] = useState<readonly ImportedTemplate[]>([]);
  const importFiles = async (files: readonly File[]) => {
    setBusy(true);
    setResults([]);
    for (const file of files) {
      const result = await importTemplate(file);
      setResults((previous) => [...previous, result]);
    }
    setBusy(false);
    void invalidate(TEMPLATES);
  };
  const undo = async (template: ImportedTemplate) => {
    if (template.saved === undefined) return;
    const { id } = template.saved;
    try {
      await contentApi('DELETE /client-api/api/saved_templates/{id}', { params: { id } });
    } catch (error) {
      showError(error);
      return;
    }
    setResults((previous) =>
      previous.map((result) => (result === template ? { ...template, isUndone: true } : result)),
    );
    void invalidate(TEMPLATES);
  };
  return { isBusy, results, importFiles, undo };
}

async function importTemplate(file: File): Promise<ImportedTemplate> {
  const form = new FormData();
  form.append('file', file);
  try {
    const { data } = await contentApi.upload(
      'POST /client-api/api/saved_templates/html_file',
      form,
    );
    const { id, title, thumbnail_url: page, missing: missingImages } = data;
    return { name: title, saved: { id, page, missingImages } };
  } catch (error) {
    return { name: file.name, error: errorTexts(error).message };
  }
}

function Result({ template, undo }: { template: ImportedTemplate; undo: () => Promise<void> }) {
  const t = useTexts('imports');
  const { list, number } = useFormats();
  const [isBusy, setBusy] = useState(false);
  const { name, error, saved, isUndone = false } = template;
  const missingImages = saved?.missingImages ?? [];
  const state = isUndone ? 'templates.undone' : 'templates.saved';
  return (
    <li className={classes.result} data-failed={error !== undefined || undefined}>
      {error === undefined ? (
        <IconCheck size={18} stroke={1.75} aria-hidden="true" />
      ) : (
        <IconX size={18} stroke={1.75} aria-hidden="true" />
      )}
      <span>
        <bdi>{name}</bdi>: {error ?? t(state)}
        {!isUndone && missingImages.length > 0 && (
          <Text c="dimmed" size="sm" component="span" className={classes.missing}>
            {t('templates.missing', {
              count: missingImages.length,
              shown: number(missingImages.length),
              names: list(missingImages.slice(0, 5)),
            })}
          </Text>
        )}
      </span>
      {saved !== undefined && !isUndone && (
        <span className={classes.acts}>
          <Anchor
            href={saved.page}
            target="_blank"
            rel="noreferrer"
            size="sm"
            aria-label={t('templates.previewOne', { name })}
          >
            {t('templates.preview')}
          </Anchor>
          <Button
            variant="subtle"
            size="compact-sm"
            loading={isBusy}
            aria-label={t('templates.undoOne', { name })}
            onClick={() => {
              setBusy(true);
              void undo().finally(() => setBusy(false));
            }}
          >
            {t('templates.undo')}
          </Button>
        </span>
      )}
    </li>
  );
}
