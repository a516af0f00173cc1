import SwiftSyntax
import SwiftSyntaxMacros

extension DeclGroupSyntax {
    /// The access level that a generated member needs to be as visible as this type: `public`, `package` or nothing.
    ///
    /// Members of types below `internal` need none: without a modifier they are as visible as their type, whereas a
    /// copied `private` would hide them from the rest of the file.
    func memberAccess(in context: some MacroExpansionContext) -> DeclModifierSyntax? {
        let level = modifiers.accessLevel ?? context.lexicalContext.first?.extensionAccessLevel
        return switch level {
        case .public, .open: DeclModifierSyntax(name: .keyword(.public), trailingTrivia: .space)
        case .package: DeclModifierSyntax(name: .keyword(.package), trailingTrivia: .space)
        default: nil
        }
    }
}

extension DeclModifierListSyntax {
    /// The access level that is written down, `private(set)` and the like left out.
    var accessLevel: Keyword? {
        for modifier in self where modifier.detail == nil {
            switch modifier.name.tokenKind {
            case .keyword(let keyword) where Self.accessLevels.contains(keyword): return keyword
            default: continue
            }
        }
        return nil
    }

    private static let accessLevels: [Keyword] = [.private, .fileprivate, .internal, .package, .public, .open]
}

extension Syntax {
    /// The access level that an extension gives to members without one of their own.
    fileprivate var extensionAccessLevel: Keyword? {
        self.as(ExtensionDeclSyntax.self)?.modifiers.accessLevel
    }
}
