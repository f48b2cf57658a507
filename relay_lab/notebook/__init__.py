"""What a notebook imports besides the public API: widgets and displays. They translate; they decide nothing."""
