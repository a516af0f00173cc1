/// The versions of the protocol that this library speaks.
package enum WireVersion {
    /// The version that ``Hello`` offers first. A number, once released, keeps its meaning.
    package static let current: UInt16 = 1
    /// All versions that this library can speak.
    package static let supported: ClosedRange<UInt16> = 1...1
}
