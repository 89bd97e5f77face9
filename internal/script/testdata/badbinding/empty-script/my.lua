-- nothing yet

