;;; redline-complete.el --- Completions of Redline as overlays  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Shows how the text at point may go on, in grey and behind point; it is not
;; in the buffer before it is accepted.  Each change of the buffer requests the
;; completion again.  What is shown and agrees with what is typed is cut to the
;; rest before the server has answered, so that it does not flicker.

;;; Code:

(require 'cl-lib)
(require 'eglot)
(require 'jsonrpc)
(require 'redline-preview)

(declare-function redline--uri "redline")

(defcustom redline-complete t
  "Whether completions are shown while you type.
`redline-complete-at-point' shows one in any case."
  :type 'boolean
  :group 'redline)

(defface redline-completion
  '((t :inherit shadow))
  "Text that is shown as a completion."
  :group 'redline)

(cl-defstruct redline-complete--item
  "A text that may be inserted."
  text
  start
  end)

(defvar-local redline-complete--items nil
  "The completions that fit point; the first is shown.")

(defvar-local redline-complete--ghost nil
  "The overlay that shows one.")

(defvar-local redline-complete--seen nil
  "The modification tick and point after the last command.")

(defvar-local redline-complete--n-requests 0
  "How many completions were requested; only the last answer counts.")

(defvar-keymap redline-ghost-mode-map
  :doc "Keys while a completion is shown."
  "TAB" #'redline-complete-accept
  "M-f" #'redline-complete-accept-word
  "C-e" #'redline-complete-accept-line
  "C-g" #'redline-complete-dismiss
  "M-n" #'redline-complete-next
  "M-p" #'redline-complete-previous)

(define-minor-mode redline-ghost-mode
  "Keys to accept the completion that is shown.
It is turned on and off with the completion.")

(define-minor-mode redline-complete-mode
  "Show completions of Redline while you type."
  :lighter nil
  (if redline-complete-mode
      (progn
        (setq redline-complete--seen (redline-complete--now))
        (add-hook 'post-command-hook #'redline-complete--after-command nil t))
    (remove-hook 'post-command-hook #'redline-complete--after-command t)
    (redline-complete--hide)))

(defun redline-complete--completes-p ()
  "Return whether this buffer's server is Redline."
  (cl-typep (eglot-current-server) 'redline-server))

(defun redline-complete--follow-eglot ()
  "Turn completions on in a buffer that Redline serves, else off."
  (if (and redline-complete (eglot-managed-p) (redline-complete--completes-p))
      (redline-complete-mode 1)
    (redline-complete-mode -1)))

(add-hook 'eglot-managed-mode-hook #'redline-complete--follow-eglot)

;;; Following the user

(defun redline-complete--now ()
  "Return what identifies the text and the place in it."
  (cons (buffer-chars-modified-tick) (point)))

(defun redline-complete--after-command ()
  "Cut what is shown to the rest, or hide it; request it again after a change."
  (let ((now (redline-complete--now)))
    (unless (equal now redline-complete--seen)
      (let ((is-change (not (eql (car now) (car redline-complete--seen)))))
        (setq redline-complete--seen now
              redline-complete--items
              (seq-filter #'redline-complete--rest redline-complete--items))
        (redline-complete--show)
        (when (and is-change (not buffer-read-only) (not (use-region-p)))
          (redline-complete--request 2))))))

(defun redline-complete--rest (choice)
  "Return what is left of CHOICE behind point, or nil if it does not fit."
  (let* ((text (redline-complete--item-text choice))
         (start (redline-complete--item-start choice))
         (end (redline-complete--item-end choice)))
    (when (<= start (point) end)
      (let ((typed (buffer-substring-no-properties start (point))))
        (and (length< typed (length text))
             (string-prefix-p typed text)
             (substring text (length typed)))))))

(defun redline-complete--take (found version)
  "Show the items FOUND by the server, for the VERSION of the text."
  (when (eql version (redline--version))
    (setq redline-complete--items
          (seq-map (lambda (item)
                     (let ((range (plist-get item :range)))
                       (make-redline-complete--item
                        :text (plist-get item :insertText)
                        :start (copy-marker (redline-complete--point range :start))
                        ;; What is typed at the end is part of what goes.
                        :end (copy-marker (redline-complete--point range :end) t))))
                   (plist-get found :items)))
    (redline-complete--show)))

(defun redline-complete--point (range side)
  "Return the place of a SIDE of RANGE."
  (eglot--lsp-position-to-point (plist-get range side)))

(defun redline-complete--request (kind &optional on-answer)
  "Request a completion at point; KIND is an `InlineCompletionTriggerKind'.
Call ON-ANSWER once it is shown, or nothing is."
  (when-let* ((server (eglot-current-server)))
    ;; Eglot would send the last changes only when Emacs is idle.
    (eglot--signal-textDocument/didChange)
    (let ((buffer (current-buffer))
          (place (point))
          (version (redline--version))
          (number (cl-incf redline-complete--n-requests)))
      (jsonrpc-async-request
       server :textDocument/inlineCompletion
       (append (eglot--TextDocumentPositionParams)
               (list :context (list :triggerKind kind)))
       :success-fn
       (lambda (found)
         (when (buffer-live-p buffer)
           (with-current-buffer buffer
             (when (and found (eql number redline-complete--n-requests) (eql place (point)))
               (redline-complete--take found version)
               (when on-answer (funcall on-answer))))))
       ;; A completion that fails is none.
       :error-fn #'ignore
       :timeout-fn #'ignore))))

(cl-defmethod eglot-handle-notification
  ((_server redline-server) (_method (eql redline/inline/changed))
   &key uri version &allow-other-keys)
  "Request again what has become longer in the document URI, at VERSION."
  (when-let* ((buffer (find-buffer-visiting (redline--path uri))))
    (with-current-buffer buffer
      (when (and redline-complete-mode (eql version (redline--version)))
        (redline-complete--request 2)))))

;;; Showing

(defun redline-complete--show ()
  "Show what is left of the first choice, if anything fits."
  (redline-complete--hide)
  (when-let* ((choice (car redline-complete--items))
              (rest (redline-complete--rest choice)))
    (let ((ghost (propertize rest 'face 'redline-completion)))
      ;; Point stays in front of it.
      (put-text-property 0 1 'cursor t ghost)
      (setq redline-complete--ghost
            (make-overlay (point) (redline-complete--item-end choice)))
      (overlay-put redline-complete--ghost 'before-string ghost)
      ;; What it brings itself is shown in it.
      (overlay-put redline-complete--ghost 'display "")
      (overlay-put redline-complete--ghost 'window (selected-window))
      (redline-ghost-mode 1))))

(defun redline-complete--hide ()
  "Show no completion; the choices stay."
  (when redline-complete--ghost
    (delete-overlay redline-complete--ghost)
    (setq redline-complete--ghost nil))
  (when redline-ghost-mode
    (redline-ghost-mode -1)))

;;; Commands

;;;###autoload
(defun redline-complete-at-point ()
  "Show a completion at point, with up to three to choose from."
  (interactive)
  (unless (redline-complete--completes-p)
    (user-error "Redline does not serve this buffer"))
  (redline-complete--request
   1 (lambda ()
       (message "Redline: %s"
                (pcase (length redline-complete--items)
                  (0 "no completion")
                  (1 "one completion")
                  (n (substitute-command-keys
                      (format "%d completions: \\<redline-ghost-mode-map>\\[redline-complete-next] for the next"
                              n))))))))

(defun redline-complete-accept ()
  "Insert the completion; in front of a line's text, indent the line if it is not."
  (interactive)
  (let ((tick (buffer-chars-modified-tick)))
    (when (<= (current-column) (current-indentation))
      (indent-for-tab-command))
    (when (eql tick (buffer-chars-modified-tick))
      (redline-complete--accept #'identity))))

(defun redline-complete-accept-word ()
  "Insert the next word of the completion."
  (interactive)
  (redline-complete--accept
   (lambda (rest)
     (string-match "\\`[[:space:]\n]*\\(?:[[:word:]_]+\\|[^[:word:]_[:space:]\n]+\\|\\'\\)"
                   rest)
     (match-string 0 rest))))

(defun redline-complete-accept-line ()
  "Insert the completion up to the end of its first line."
  (interactive)
  (redline-complete--accept
   (lambda (rest)
     (string-match "\\`\n*[^\n]*" rest)
     (match-string 0 rest))))

(defun redline-complete--accept (part-of)
  "Insert what PART-OF returns of the completion.
All of it replaces what it brings itself."
  (when-let* ((choice (car redline-complete--items))
              (rest (redline-complete--rest choice)))
    (let ((part (funcall part-of rest)))
      (if (equal part rest)
          (let ((text (redline-complete--item-text choice)))
            (setq redline-complete--items nil)
            (redline-complete--hide)
            (delete-region (redline-complete--item-start choice)
                           (redline-complete--item-end choice))
            (insert text))
        (insert part)))))

(defun redline-complete-dismiss ()
  "Hide the completion, and do not show it here again."
  (interactive)
  (setq redline-complete--items nil)
  (redline-complete--hide)
  (when-let* ((server (eglot-current-server)))
    (jsonrpc-notify server :redline/inline/dismissed
                    (list :uri (redline--uri)))))

(defun redline-complete-next ()
  "Show the next completion."
  (interactive)
  (setq redline-complete--items
        (append (cdr redline-complete--items)
                (list (car redline-complete--items))))
  (redline-complete--show))

(defun redline-complete-previous ()
  "Show the previous completion."
  (interactive)
  (setq redline-complete--items
        (append (last redline-complete--items)
                (butlast redline-complete--items)))
  (redline-complete--show))

(provide 'redline-complete)
;;; redline-complete.el ends here
