// The form builder: a top bar, the form itself, and an inspector with five tabs.
import { useMediaQuery } from '@mantine/hooks';
import { Suspense, useEffect, useMemo, useRef, useState } from 'react';
import { lazyWithRetry } from '#platform/web/shell/lazy-with-retry.ts';
import { ImageLibrary, useBrandColors } from '#areas/content/web/index.ts';
import type { FormType } from '#embed/forms/shared/document.ts';
import { text, useSearchParams } from '#platform/web/api/address.ts';
import { stepKeys } from '#platform/web/editing/step-keys.ts';
import { EditingContext } from '#platform/web/editing/editing-context.ts';
import type { Autosave } from '#platform/web/editing/use-autosave.ts';
import { StaleNotice } from '#platform/web/editing/stale-notice.tsx';
import { useTexts } from '#platform/web/texts/texts.ts';
import { BottomSheet } from '#platform/web/ui/bottom-sheet.tsx';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { useParam } from '#platform/web/hooks/use-param.ts';
import type { Form } from '../../contract.ts';
import { useForm } from '../queries.ts';
import classes from './builder.module.css';
import { Canvas } from './canvas.tsx';
import type { FormDraft } from './draft.ts';
import { focusFixTarget, FIX_PLACES } from './fixes.ts';
import { Inspector, TabList } from './inspector.tsx';
import { useFormSaving } from './saving.ts';
import { StepChoice } from './step-choice.tsx';
import { BuilderContext, createBuilder, useBuilder, useBuilderState } from './store.ts';
import { TopBar } from './top-bar.tsx';
import { Tour, useTour } from './tour.tsx';

const address = { fix: text() };

const Preview = lazyWithRetry(() => import('./preview.tsx'));

export default function BuilderScreen() {
  const id = useParam('form');
  const form = useForm(id);
  const saving = useFormSaving(id);
  const failure = form.isLoadingError
    ? { error: form.error, retry: form.refetch }
    : { error: saving.error, retry: saving.reload };
  if (failure.error) return <FailedState {...failure} isPage />;
  if (!form.data || saving.value === undefined) return <LoadingState rows={8} />;
  return <LoadedBuilder key={id} form={form.data.data} saving={saving} draft={saving.value} />;
}

export interface BuilderProps {
  form: Form;
  saving: Autosave<FormDraft>;
}

function LoadedBuilder({ form, saving, draft }: BuilderProps & { draft: FormDraft }) {
  const [builder] = useState(() =>
    createBuilder(draft, { id: form.id, type: form.type as FormType }),
  );
  const { generation } = saving;
  const change = useRef(saving.change);
  change.current = saving.change;
  // A draft that was adopted from the server is not saved again.
  const adoption = useRef({ generation, isTaking: false });
  useEffect(
    () =>
      builder.store.subscribe((state, before) => {
        if (state.document !== before.document && !adoption.current.isTaking) {
          change.current(state.document);
        }
      }),
    [builder],
  );
  useEffect(() => {
    if (adoption.current.generation === generation) return;
    adoption.current = { generation, isTaking: true };
    builder.replace(draft);
    adoption.current.isTaking = false;
  }, [builder, generation, draft]);
  useEffect(() => {
    const listen = (event: KeyboardEvent) => stepKeys(builder, event);
    window.addEventListener('keydown', listen);
    return () => window.removeEventListener('keydown', listen);
  }, [builder]);
  const [{ fix }] = useSearchParams(address);
  useEffect(() => {
    const fixPlace = FIX_PLACES[fix as keyof typeof FIX_PLACES];
    if (fixPlace) focusFixTarget(builder, fixPlace);
  }, [builder, fix]);
  const colors = useBrandColors();
  const editing = useMemo(() => ({ mergeTags: [], colors, links: [] }), [colors]);
  return (
    <EditingContext value={editing}>
      <BuilderContext value={builder}>
        <BuilderLayout form={form} saving={saving} />
      </BuilderContext>
    </EditingContext>
  );
}

function BuilderLayout({ form, saving }: BuilderProps) {
  const t = useTexts('forms-builder');
  const [isPreview, setPreview] = useState(false);
  const isSmall = useMediaQuery('(max-width: 900px)') ?? false;
  const tour = useTour();
  return (
    <div className={classes.builder}>
      <TopBar
        form={form}
        saving={saving}
        isPreview={isPreview}
        onPreview={setPreview}
        onTour={tour.begin}
      />
      {saving.isStale && <StaleNotice resolveConflict={saving.resolveConflict} radius={0} />}
      <div className={classes.place}>
        {isPreview ? (
          <Suspense fallback={<LoadingState rows={6} />}>
            <Preview />
          </Suspense>
        ) : (
          <>
            <section className={classes.canvas} aria-label={t('canvas')}>
              <StepChoice />
              <Canvas />
            </section>
            {isSmall ? (
              <Sheet />
            ) : (
              <div className={classes.inspector}>
                <TabList />
                <Inspector />
              </div>
            )}
          </>
        )}
      </div>
      {tour.isOpen && !isPreview && <Tour end={tour.end} isSmall={isSmall} />}
      <Announcement />
      <Chooser />
    </div>
  );
}

/** The inspector on small screens: tabs at the bottom that open as sheets. */
function Sheet() {
  const t = useTexts('forms-builder');
  const { store } = useBuilder();
  const isOpen = useBuilderState((state) => state.isSheetOpen);
  const tab = useBuilderState((state) => state.tab);
  return (
    <div className={classes.foot} data-foot="">
      <TabList onChosen={() => store.setState({ isSheetOpen: true })} />
      <BottomSheet
        isOpen={isOpen}
        close={() => store.setState({ isSheetOpen: false })}
        title={t(`tabs.${tab}`)}
      >
        <Inspector />
      </BottomSheet>
    </div>
  );
}

function Announcement() {
  const announcement = useBuilderState((state) => state.announcement);
  return (
    <div className={classes.hidden} role="status" aria-live="polite">
      {announcement}
    </div>
  );
}

function Chooser() {
  const { store } = useBuilder();
  const onImageChosen = useBuilderState((state) => state.onImageChosen);
  if (onImageChosen === null) return null;
  return (
    <Suspense fallback={null}>
      <ImageLibrary
        onChoose={({ src, alt }) => onImageChosen({ url: src, alt })}
        close={() => store.setState({ onImageChosen: null })}
      />
    </Suspense>
  );
}
