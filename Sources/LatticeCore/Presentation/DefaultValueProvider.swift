/// A type with a value to start from, such as a view state before anything is known.
public protocol DefaultValueProvider: SendableMetatype {
    static var defaultValue: Self { get }
}
