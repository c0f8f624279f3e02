'use strict';
document.documentElement.classList.add('scripted');

// The heatmap under the weights of any loop.
for (const figure of document.querySelectorAll('[data-loops]')) {
  const loops = JSON.parse(figure.dataset.loops);
  const cells = [...figure.querySelectorAll('.cell')];
  const names = cells.map((cell) => cell.querySelector('title').textContent.replace(/: \S+$/, ''));
  const size = Math.sqrt(cells.length);
  const slider = figure.querySelector('input');
  const caption = figure.querySelector('output');
  const show = () => {
    const loop = loops[slider.value];
    cells.forEach((cell, k) => {
      const [i, j] = [Math.floor(k / size), k % size].sort((a, b) => b - a);
      const value = loop.percent[(i * (i + 1)) / 2 + j] / 100;
      cell.setAttribute('fill-opacity', Math.abs(value));
      cell.classList.toggle('negative', value < 0);
      cell.classList.toggle('positive', value >= 0);
      cell.querySelector('title').textContent = `${names[k]}: ${value.toFixed(2)}`;
    });
    caption.textContent = loop.caption;
    slider.setAttribute('aria-valuetext', loop.caption);
  };
  slider.addEventListener('input', show);
  // A browser may have kept the slider's place from before.
  show();
}

// Tables sort by a click on a heading, or Enter or Space on it.
for (const table of document.querySelectorAll('table.sortable')) {
  const headings = [...table.querySelectorAll('th')];
  const body = table.tBodies[0];
  headings.forEach((heading, column) => {
    heading.querySelector('button').addEventListener('click', () => {
      const falling = heading.getAttribute('aria-sort') === 'descending';
      headings.forEach((other) => other.removeAttribute('aria-sort'));
      heading.setAttribute('aria-sort', falling ? 'ascending' : 'descending');
      const key = (row) => row.cells[column].dataset.sort ?? row.cells[column].textContent;
      const compare = (a, b) => {
        const [x, y] = [key(a), key(b)];
        const [u, v] = [Number(x), Number(y)];
        return Number.isNaN(u) || Number.isNaN(v) ? x.localeCompare(y) : u - v;
      };
      const rows = [...body.rows].sort(compare);
      body.append(...(falling ? rows : rows.reverse()));
    });
  });
}

// The tables of variables, narrowed to a part of a name or to a role; what is folded away opens for it.
for (const controls of document.querySelectorAll('[data-filters]')) {
  const tables = [...document.getElementById(controls.dataset.filters).querySelectorAll('table.sortable')];
  const rows = tables.flatMap((table) => [...table.tBodies[0].rows]);
  const search = controls.querySelector('input');
  const role = controls.querySelector('select');
  const count = controls.querySelector('output');
  const narrow = () => {
    const wanted = search.value.toLowerCase();
    let shown = 0;
    for (const row of rows) {
      const fits =
        (row.cells[0].querySelector('[title]')?.title ?? row.cells[0].textContent).toLowerCase().includes(wanted) &&
        (role.value === '' || row.cells[1].textContent === role.value);
      row.hidden = !fits;
      shown += fits;
    }
    const narrowed = search.value !== '' || role.value !== '';
    for (const table of tables) {
      const fold = table.closest('details');
      if (fold && narrowed) fold.open = [...table.tBodies[0].rows].some((row) => !row.hidden);
    }
    count.textContent = `${shown} of ${rows.length} ${narrowed ? 'fit' : 'variables'}`;
  };
  search.addEventListener('input', narrow);
  role.addEventListener('input', narrow);
  narrow();
}
