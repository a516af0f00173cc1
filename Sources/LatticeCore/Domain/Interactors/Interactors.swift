/// The interactors that compose others.
public enum Interactors {}
