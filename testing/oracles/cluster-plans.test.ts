// Plans of a cluster that need more than one node are recognized.
import { expect, test } from 'vitest';
import { planProblem } from './cluster-plans.ts';

test('a plan of one task is bound to one node', () => {
  expect(
    planProblem(['Custom Scan (Citus Adaptive)', '  Task Count: 1', '  Tasks Shown: All']),
  ).toBeUndefined();
  // An insert whose rows come from parameters is copied into one shard.
  expect(
    planProblem([
      'Custom Scan (Citus INSERT ... SELECT)',
      '  INSERT/SELECT method: pull to coordinator',
    ]),
  ).toBeUndefined();
  expect(planProblem(['Result'])).toBeUndefined();
});

test('plans of several tasks, or around an intermediate result, are not bound to one node', () => {
  expect(planProblem(['Custom Scan (Citus Adaptive)', '  Task Count: 32'])).toMatch('32 tasks');
  const subplan = [
    'Custom Scan (Citus Adaptive)',
    '  ->  Distributed Subplan 5_1',
    '  Task Count: 1',
  ];
  expect(planProblem(subplan)).toMatch('intermediate result');
});

test('a subplan that inserts rows of parameters is bound to one node, one that selects is not', () => {
  const insertion = [
    'Custom Scan (Citus Adaptive)',
    '  ->  Distributed Subplan 1_1',
    '        ->  Custom Scan (Citus INSERT ... SELECT)',
    '              INSERT/SELECT method: pull to coordinator',
    '              ->  Function Scan on p',
    '  Task Count: 1',
  ];
  expect(planProblem(insertion)).toBeUndefined();
  const selection = [...insertion.slice(0, 4), '              ->  Custom Scan (Citus Adaptive)'];
  expect(planProblem([...selection, '                    Task Count: 1'])).toMatch(
    'intermediate result',
  );
});
