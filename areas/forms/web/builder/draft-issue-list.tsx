// Warnings for the form's author before saving: a code that does not exist, poor contrast, missing
// fields.
import { Alert, Anchor, List } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { listCouponPoolsQuery } from '#areas/content/web/index.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { findDraftIssues, type DraftIssue as Finding } from './draft-issues.ts';
import classes from './builder.module.css';
import { focusFixTarget, FIX_PLACES } from './fixes.ts';
import { useBuilder, useDraft } from './store.ts';

export function useDraftIssues(): Finding[] {
  const { type } = useBuilder();
  const draft = useDraft();
  const { source, pool_id } = draft.settings.coupon;
  const pools = useQuery({ ...listCouponPoolsQuery(), enabled: source === 'pool' }).data?.data;
  const pool = pools?.find(({ id }) => id === pool_id);
  return findDraftIssues(draft, type, pools && (pool?.left ?? 0));
}

export function DraftIssues() {
  const t = useTexts('forms-builder');
  const builder = useBuilder();
  const issues = useDraftIssues();
  if (issues.length === 0) return null;
  return (
    <Alert color="warning" mt="md" title={t('advice.title')}>
      <List size="sm" spacing={4} className={classes.advice}>
        {issues.map((finding) => {
          const fixPlace = FIX_PLACES[finding];
          return (
            <List.Item key={finding}>
              {t(`advice.${finding}`)}{' '}
              {fixPlace && (
                <Anchor
                  component="button"
                  type="button"
                  size="sm"
                  underline="always"
                  onClick={() => focusFixTarget(builder, fixPlace)}
                >
                  {t('advice.open')}
                </Anchor>
              )}
            </List.Item>
          );
        })}
      </List>
    </Alert>
  );
}
