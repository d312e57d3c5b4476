// The check recognizes cluster plans that need more than one node.
import { expect, test } from 'vitest';
import { findPlanProblem } from './cluster-plans.ts';

test('a plan of one task is bound to one node', () => {
  expect(
    findPlanProblem(['Custom Scan (Citus Adaptive)', '  Task Count: 1', '  Tasks Shown: All']),
  ).toBeUndefined();
  // An insert of rows from parameters is copied into one shard.
  expect(
    findPlanProblem([
      'Custom Scan (Citus INSERT ... SELECT)',
      '  INSERT/SELECT method: pull to coordinator',
    ]),
  ).toBeUndefined();
  expect(findPlanProblem(['Result'])).toBeUndefined();
});

test('a plan of several tasks is not bound to one node', () => {
  expect(findPlanProblem(['Custom Scan (Citus Adaptive)', '  Task Count: 32'])).toMatch('32 tasks');
});

test('an insert of rows selected in the same statement needs every node', () => {
  const fromParameters = [
    'Custom Scan (Citus Adaptive)',
    '  ->  Distributed Subplan 1_1',
    '        ->  Custom Scan (Citus INSERT ... SELECT)',
    '              INSERT/SELECT method: pull to coordinator',
    '              ->  Function Scan on p',
    '  Task Count: 1',
  ];
  expect(findPlanProblem(fromParameters)).toBeUndefined();
  const readsSelectedRows = '              ->  Function Scan on read_intermediate_result';
  expect(findPlanProblem(fromParameters.with(4, readsSelectedRows))).toMatch('intermediate result');
  const readsWithinTask = [
    '              ->  Custom Scan (Citus Adaptive)',
    '                    ->  Task',
    '                          ->  Function Scan on read_intermediate_result',
  ];
  expect(findPlanProblem(fromParameters.toSpliced(4, 1, ...readsWithinTask))).toBeUndefined();
});
