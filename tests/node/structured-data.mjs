// Reads {pages: [html], vocabulary} as JSON, answers each page's blocks and what Adobe's validator has against them.
import Validator from '@adobe/structured-data-validator';
import WebAutoExtractor from '@marbec/web-auto-extractor';

let given = '';
for await (const chunk of process.stdin) given += chunk;
const { pages, vocabulary } = JSON.parse(given);
const validator = new Validator(vocabulary);
const answers = [];
for (const page of pages) {
  const data = new WebAutoExtractor({ addLocation: true, embedSource: ['rdfa', 'microdata'] }).parse(page);
  answers.push({ types: Object.keys(data.jsonld), problems: data.errors ?? [], issues: await validator.validate(data) });
}
process.stdout.write(JSON.stringify(answers));
