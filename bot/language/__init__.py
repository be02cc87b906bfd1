"""Words as words, before anybody makes a memory or a reply of them: languages, stems, names, times, whose they are."""
