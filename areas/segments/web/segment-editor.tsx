// The segment editor: title, conditions, and the preview beside them.
import { Button, Paper, TextInput } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { ApiError } from '#platform/web/api-error.ts';
import { StaleNotice } from '#platform/web/editing/stale-notice.tsx';
import { toast } from '#platform/web/errors/notices.tsx';
import { invalidate, useAction } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { Page } from '#platform/web/ui/page.tsx';
import { useUnsaved } from '#platform/web/session/use-unsaved.ts';
import type { Segment } from '../contract.ts';
import { MAX_TITLE_LENGTH } from '../shared.ts';
import FilterBuilder from './filter-builder.tsx';
import LivePreview from './live-preview.tsx';
import {
  SEGMENTS_PATH,
  api,
  LIST_PATH,
  toSegmentPath,
  toMatchingSubscribersPath,
} from './queries.ts';
import { buildTitle } from '../sentence.ts';
import classes from './segment-editor.module.css';
import { Starters } from './starters.tsx';
import { DescriptionAssist } from './description-assist.tsx';

interface SegmentEditorProps {
  id: string | undefined;
  savedSegment: SavedSegment;
}

/** The title is empty if the segment is named by its sentence. A new segment has no revision. */
type SavedSegment = { title: string; filter: string; revision?: number | undefined };

export function toSavedSegment({ title, sentence, filter, revision }: Segment): SavedSegment {
  return { title: title === buildTitle(sentence) ? '' : title, filter, revision };
}

export function SegmentEditor({ id, savedSegment }: SegmentEditorProps) {
  const t = useTexts('segments');
  const saving = useSegmentSaving(id, savedSegment);
  const { values, setValues, stored, isDirty, newer, save, settle } = saving;
  const [unfinished, setUnfinished] = useState(0);
  const [isMissing, setMissing] = useState(false);
  const isEmpty = values.filter === '';
  const setFilter = (filter: string) => setValues((before) => ({ ...before, filter }));
  const submit = () => {
    setMissing(isEmpty || unfinished > 0);
    if (!isEmpty && unfinished === 0) save.mutate(undefined);
  };
  return (
    <Page
      title={
        id ? stored.title === '' ? t('edit.title') : <bdi>{stored.title}</bdi> : t('create.title')
      }
      back={{ to: SEGMENTS_PATH, label: t('titleAll') }}
      actions={
        <Actions
          savedFilter={id && stored.filter}
          isBusy={save.isPending}
          isDisabled={!!id && !isDirty}
          submit={submit}
        />
      }
    >
      <div className={classes.columns}>
        <div className={classes.main}>
          {newer && (
            <StaleNotice mb="md" resolveConflict={(resolution) => settle(newer, resolution)} />
          )}
          <TitleField
            value={values.title}
            onChange={(title) => setValues((before) => ({ ...before, title }))}
          />
          <h2 className={classes.heading}>{t('conditions')}</h2>
          {isEmpty && <DescriptionAssist onSelect={setFilter} />}
          <FilterBuilder
            value={values.filter}
            onChange={(filter) => {
              setMissing(false);
              setFilter(filter);
            }}
            onUnfinished={setUnfinished}
          />
          {!id && isEmpty && unfinished === 0 && <Starters onSelect={setValues} />}
          {isMissing && <MissingConditions isEmpty={isEmpty} />}
        </div>
        <Paper withBorder p="md" component="section" className={classes.side} aria-label={t('who')}>
          <LivePreview filter={values.filter} />
        </Paper>
      </div>
    </Page>
  );
}

function MissingConditions({ isEmpty }: { isEmpty: boolean }) {
  const t = useTexts('segments');
  return (
    <p className={classes.fault} role="alert">
      {t(isEmpty ? 'save.empty' : 'save.unfinished')}
    </p>
  );
}

interface ActionsProps {
  /** Filter of the saved segment, with which a link opens the matching subscribers. */
  savedFilter: string | undefined;
  isBusy: boolean;
  isDisabled: boolean;
  submit: () => void;
}

function Actions({ savedFilter, isBusy, isDisabled, submit }: ActionsProps) {
  const t = useTexts('segments');
  return (
    <>
      {savedFilter !== undefined && (
        <Button component={Link} to={toMatchingSubscribersPath(savedFilter)} variant="default">
          {t('acts.open')}
        </Button>
      )}
      <Button loading={isBusy} disabled={isDisabled} onClick={submit}>
        {t('save.confirm')}
      </Button>
    </>
  );
}

function TitleField({ value, onChange }: { value: string; onChange: (title: string) => void }) {
  const t = useTexts('segments');
  return (
    <TextInput
      label={t('title.label')}
      placeholder={t('title.hint')}
      maxLength={MAX_TITLE_LENGTH}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

/** Manages the edited and the saved state, and a newer version saved by another user. */
function useSegmentSaving(id: string | undefined, saved: SavedSegment) {
  const t = useTexts('segments');
  const navigate = useNavigate();
  const [storedValues, setStored] = useState(saved);
  const [values, setValues] = useState({ title: saved.title, filter: saved.filter });
  const revision = useRef(saved.revision);
  const [newer, setNewer] = useState<Segment>();
  const isDirty = values.title !== storedValues.title || values.filter !== storedValues.filter;
  useUnsaved({
    name: `segment:${id ?? 'new'}`,
    unsaved: isDirty ? { ...values, revision: revision.current } : undefined,
    restore: (edit: SavedSegment) => {
      // A newer version is reported on saving.
      revision.current = edit.revision ?? revision.current;
      setValues({ title: edit.title, filter: edit.filter });
    },
    discard: () => setValues({ title: storedValues.title, filter: storedValues.filter }),
    onLeave: 'store',
  });
  const save = useAction(
    async () => {
      const response = await writeSegment(id, values, revision.current);
      if (response === 'stale' && id)
        setNewer((await api('GET /client-api/api/filters/{id}', { params: { id } })).data);
      return response === 'stale' ? undefined : response;
    },
    {
      onDone: (response) => {
        if (!response) return;
        const { data } = response;
        revision.current = data.revision;
        const next = { title: values.title.trim(), filter: values.filter };
        setStored(next);
        setValues(next);
        toast(t('save.done', { title: data.title }));
        void invalidate(LIST_PATH);
        if (!id) void navigate({ to: toSegmentPath(data.id), replace: true, ignoreBlocker: true });
      },
    },
  );
  const settle = (now: Segment, resolution: 'theirs' | 'ours') => {
    revision.current = now.revision;
    setNewer(undefined);
    setStored(toSavedSegment(now));
    if (resolution === 'ours') return save.mutate(undefined);
    const { title, filter } = toSavedSegment(now);
    setValues({ title, filter });
  };
  return { values, setValues, stored: storedValues, isDirty, newer, save, settle };
}

async function writeSegment(
  id: string | undefined,
  { title: writtenTitle, filter: conditions }: { title: string; filter: string },
  revision: number | undefined,
) {
  const title = writtenTitle.trim() || (id ? await describeFilter(conditions) : undefined);
  const body = { conditions, ...(title ? { title } : {}) };
  if (!id) return api('POST /client-api/api/filters', { body });
  try {
    const params = { id };
    return await api('PATCH /client-api/api/filters/{id}', { params, body: { ...body, revision } });
  } catch (error) {
    if (error instanceof ApiError && error.code === 'stale_revision') return 'stale';
    throw error;
  }
}

/** A segment without a custom title is named by its current sentence. */
async function describeFilter(conditions: string): Promise<string> {
  const { data } = await api('POST /client-api/api/filters/preview', { body: { conditions } });
  return buildTitle(data.sentence);
}
