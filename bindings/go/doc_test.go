package chorale

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"strings"
	"testing"
)

var ofC = regexp.MustCompile(`->|\bNULL\b|CHORALE|chorale_[a-z]|\b\w+_t\b|\w\.h\b|struct_|\bC\b`)

// Every exported identifier, field and constant has a comment, and no such comment uses words that
// have a meaning only in C. Fields may share a comment.
func TestDocumentation(t *testing.T) {
	packages, err := parser.ParseDir(token.NewFileSet(), ".", func(file os.FileInfo) bool {
		return !strings.HasSuffix(file.Name(), "_test.go")
	}, parser.ParseComments)
	check(t, err)
	count := 0
	told := func(name string, comments ...*ast.CommentGroup) {
		count++
		text := ""
		for _, comment := range comments {
			text += comment.Text()
		}
		if text == "" {
			t.Errorf("%s has no comment", name)
		}
		if ofC.MatchString(text) {
			t.Errorf("%s speaks of C: %s", name, text)
		}
	}
	// A field without a comment of its own belongs to the last comment above it.
	fields := func(of string, list []*ast.Field) {
		var above *ast.CommentGroup
		for _, field := range list {
			if field.Doc != nil {
				above = field.Doc
			}
			for _, name := range field.Names {
				if name.IsExported() {
					told(of+"."+name.Name, above, field.Comment)
				}
			}
		}
	}
	for _, file := range packages["chorale"].Files {
		if file.Doc != nil {
			told("package", file.Doc)
		}
		for _, declared := range file.Decls {
			switch declared := declared.(type) {
			case *ast.FuncDecl:
				if declared.Name.IsExported() {
					told(declared.Name.Name, declared.Doc)
				}
			case *ast.GenDecl:
				for _, spec := range declared.Specs {
					switch spec := spec.(type) {
					case *ast.TypeSpec:
						if !spec.Name.IsExported() {
							continue
						}
						told(spec.Name.Name, declared.Doc, spec.Doc)
						switch of := spec.Type.(type) {
						case *ast.StructType:
							fields(spec.Name.Name, of.Fields.List)
						case *ast.InterfaceType:
							fields(spec.Name.Name, of.Methods.List)
						}
					case *ast.ValueSpec:
						own := []*ast.CommentGroup{spec.Doc, spec.Comment}
						if !declared.Lparen.IsValid() {
							own = append(own, declared.Doc)
						}
						if spec.Names[0].IsExported() {
							told(spec.Names[0].Name, own...)
						}
					}
				}
			}
		}
	}
	if count < 300 {
		t.Errorf("only %d identifiers", count)
	}
}
